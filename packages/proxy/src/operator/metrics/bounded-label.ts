/** Gives labels back as they are, until there are so many different ones; further ones are `other`. */
export function boundedLabel(most: number): (label: string) => string {
  const known = new Set<string>();
  return (label) => {
    if (known.size < most) known.add(label);
    return known.has(label) ? label : 'other';
  };
}
