import type { Page } from 'playwright-core';

/** By so much of 255 a colour may differ: edges of letters are drawn a little otherwise on another machine. */
const tolerance = 48;

/** The share of the pixels of two pictures that differ, 1 for pictures of different sizes; told by the browser. */
export async function differingShare(page: Page, one: Buffer, other: Buffer): Promise<number> {
  const given = [one.toString('base64'), other.toString('base64'), tolerance] as const;
  return page.evaluate(async ([first, second, most]) => {
    const pixels = async (base64: string): Promise<ImageData> => {
      const picture = await createImageBitmap(
        new Blob([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], { type: 'image/png' }),
      );
      const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d')!;
      context.drawImage(picture, 0, 0);
      return context.getImageData(0, 0, picture.width, picture.height);
    };
    const [a, b] = [await pixels(first), await pixels(second)];
    if (a.width !== b.width || a.height !== b.height) return 1;
    let count = 0;
    for (let at = 0; at < a.data.length; at += 4)
      if ([0, 1, 2].some((channel) => Math.abs(a.data[at + channel]! - b.data[at + channel]!) > most))
        count++;
    return count / (a.width * a.height);
  }, given);
}
