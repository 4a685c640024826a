const forbidden =
  'script, iframe, frame, object, embed, img, picture, source, video, audio, svg, math, link, style, base, meta, form, template, button';
const addresses = ['href', 'src', 'srcset', 'action', 'formaction', 'data', 'poster', 'ping', 'srcdoc'];

/** Elements and attributes that no text of a model may bring into a page. */
export function findings(host: ParentNode): string[] {
  const found = [...host.querySelectorAll(forbidden)].map((element) => element.outerHTML.slice(0, 100));
  for (const element of host.querySelectorAll('*')) {
    for (const { name, value } of element.attributes) {
      const isSafe =
        !name.startsWith('on') &&
        name !== 'style' &&
        name !== 'name' &&
        !(name === 'id' && !value.startsWith('user-content-')) &&
        !(addresses.includes(name) && !/^(?:https?:\/\/|mailto:)/.test(value));
      if (!isSafe) found.push(`${name}=${value}`);
    }
  }
  return found;
}
