/** The version of stored documents that this library writes and reads. */
export const documentVersion = 1;
