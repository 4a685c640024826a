/** Growth of a file's bytes in base64. */
export const base64Growth = 4 / 3;

/** Number of bytes that a base64 text encodes. */
export const bytesOf = (data: string): number => Math.floor(data.length / base64Growth);
