/** A page whose styles do their worst to everything on it. */
export const hostileStyles = `<style>
  * { all: unset !important; color: red !important; font-size: 4px !important; display: inline !important; }
  button, input, select { display: none !important; }
  :root { font-size: 4px; } div, section { transform: rotate(3deg) !important; visibility: hidden !important; z-index: -1 !important; }
</style>`;
