/** A page whose styles do their worst to everything on it. */
export const hostileStyles = `<style>
  * { all: unset !important; color: red !important; font-size: 4px !important; display: inline !important; }
  * { zoom: 1.5 !important; writing-mode: vertical-rl !important; user-select: none !important; pointer-events: none !important; }
  * { clip-path: inset(40%) !important; mask: linear-gradient(transparent, transparent) !important; filter: blur(3px) !important; opacity: 0.1 !important; }
  button, input, select { display: none !important; }
  :root { font-size: 4px; } div, section { transform: rotate(3deg) !important; visibility: hidden !important; z-index: -1 !important; }
</style>`;
