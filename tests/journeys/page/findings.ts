const forbidden =
  'script, iframe, frame, object, embed, img, picture, source, video, audio, svg, math, link, style, base, meta, form, template, button';
const addresses = ['href', 'src', 'srcset', 'action', 'formaction', 'data', 'poster', 'ping', 'srcdoc'];

// The page's own, which stands above every block of code. No text can have its class: what sanitises leaves none.
const own = '.vitrine-code-head > button.vitrine-icon-button[aria-label="Copy code"]';

/** Elements and attributes that no text of a model may bring into a page. */
export function findings(host: ParentNode): string[] {
  const found = [...host.querySelectorAll(forbidden)]
    .filter((element) => element.closest(own) === null)
    .map((element) => element.outerHTML.slice(0, 100));
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
