/** Styles of applications that a chat has to look the same in: of starter pages, and resets. */
export const starterStyles: Readonly<Record<string, string>> = {
  none: '',
  /** The start page of Vite's template for React. */
  vite: `
    :root { font: 18px/145% system-ui, sans-serif; letter-spacing: 0.18px; color-scheme: light dark; color: #6b6375; background: #fff; }
    @media (max-width: 1024px) { :root { font-size: 16px; } }
    #root { width: 1126px; max-width: 100%; margin: 0 auto; text-align: center; border-inline: 1px solid #e5e4e7; min-height: 100svh; display: flex; flex-direction: column; }
    body { margin: 0; }
    h1, h2 { font-family: serif; font-weight: 500; color: #08060d; }
    h1 { font-size: 56px; letter-spacing: -1.68px; margin: 32px 0; }
    h2 { font-size: 24px; line-height: 118%; margin: 0 0 8px; }
    p { margin: 0; }
    code { font-size: 15px; line-height: 135%; padding: 4px 8px; background: #f4f3ec; display: inline-flex; border-radius: 4px; }`,
  /** Its older start page, and pages of that time. */
  old: `
    :root { line-height: 1.5; font-family: serif; }
    body { margin: 0; display: flex; place-items: center; min-width: 320px; min-height: 100vh; }
    #root { max-width: 1280px; margin: 0 auto; padding: 2rem; text-align: center; }
    a { font-weight: 500; color: #646cff; text-decoration: none; }
    h1 { font-size: 3.2em; line-height: 1.1; }
    button { border-radius: 8px; border: 1px solid transparent; padding: 0.6em 1.2em; font-size: 1em; font-weight: 500; font-family: inherit; background-color: #1a1a1a; cursor: pointer; }
    input, textarea, select { border: 2px solid red; padding: 20px; }
    ul, ol { padding: 40px; } li { margin: 12px; } pre { background: black; } table { width: 100%; }`,
  /** A reset outside of layers, as that of Tailwind 3. */
  reset: `
    *, ::before, ::after { box-sizing: border-box; border-width: 0; border-style: solid; border-color: #e5e7eb; margin: 0; padding: 0; }
    html { line-height: 1.5; font-family: ui-sans-serif, sans-serif; }
    h1, h2, h3 { font-size: inherit; font-weight: inherit; }
    a { color: inherit; text-decoration: inherit; }
    code, pre { font-family: monospace; font-size: 1em; }
    table { border-collapse: collapse; text-indent: 0; border-color: inherit; }
    button, input, select, textarea { font: inherit; color: inherit; background-color: transparent; border-radius: 0; }
    ol, ul, menu { list-style: none; }
    textarea { resize: vertical; }
    input::placeholder, textarea::placeholder { opacity: 1; color: #eeeeee; }
    img, svg, video { display: block; vertical-align: middle; max-width: 100%; height: auto; }
    summary { display: list-item; }`,
  /** The same in the layer of Tailwind 4. */
  layered: `
    @layer theme, base, components, utilities;
    @layer base {
      *, ::before, ::after { box-sizing: border-box; border: 0 solid; margin: 0; padding: 0; }
      h1, h2, h3 { font-size: inherit; font-weight: inherit; }
      a { color: inherit; text-decoration: inherit; }
      button, input, select, textarea { font: inherit; color: inherit; background-color: transparent; border-radius: 0; }
      ol, ul, menu { list-style: none; }
      img, svg, video { display: block; vertical-align: middle; }
      summary { display: list-item; }
    }`,
};
