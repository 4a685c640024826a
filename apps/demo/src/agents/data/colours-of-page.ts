/** What is drawn with; a canvas knows nothing of styles. */
export type Colours = {
  readonly accent: string;
  readonly area: string;
  readonly grid: string;
  readonly text: string;
};

/** The colours of the page as they are now: an element takes what a property says, and tells what became of it. */
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
