let resolveReady = (): void => undefined;
const isReady = new Promise<void>((resolve) => {
  resolveReady = resolve;
});

/** Reports that the message box works. */
export function markBoxReady(): void {
  resolveReady();
}

/** Loads a module that the page needs only after the message box works. */
export async function afterBox<Module>(load: () => Promise<Module>): Promise<Module> {
  await isReady;
  return load();
}
