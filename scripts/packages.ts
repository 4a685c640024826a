/** The packages in the order in which they are built. */
export const packages: readonly string[] = ['core', 'react', 'devtools', 'proxy'];
