export function saveFile(name: string, text: string, type: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name.replaceAll(/[^\w.-]+/g, '-');
  link.click();
  // The browser has read the blob by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
