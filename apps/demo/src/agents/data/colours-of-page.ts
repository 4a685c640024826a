/** The colours of a drawing; a canvas knows no CSS. */
export type Colours = {
  readonly accent: string;
  readonly area: string;
  readonly grid: string;
  readonly text: string;
};

/** Reads the current colours of the page: a temporary element resolves the custom properties. */
export function coloursOfPage(): Colours {
  const probe = document.body.appendChild(document.createElement('i'));
  const colourOf = (property: string): string => {
    probe.style.color = `var(${property})`;
    return getComputedStyle(probe).color;
  };
  const accent = colourOf('--vitrine-accent');
  const colours: Colours = {
    accent,
    area: accent.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.14)'),
    grid: colourOf('--vitrine-border'),
    text: colourOf('--vitrine-muted'),
  };
  probe.remove();
  return colours;
}
