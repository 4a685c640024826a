/** Returns labels unchanged until there are `most` different ones; further ones become `other`. */
export function boundedLabel(most: number): (label: string) => string {
  const known = new Set<string>();
  return (label) => {
    if (known.size < most) known.add(label);
    return known.has(label) ? label : 'other';
  };
}
