let tell = (): void => undefined;
const isThere = new Promise<void>((resolve) => {
  tell = resolve;
});

/** The message box stands and can be written in. */
export function tellBoxIsThere(): void {
  tell();
}

/** Loads what a page can do without until somebody can write: it is asked for once the message box is there. */
export async function afterBox<Module>(load: () => Promise<Module>): Promise<Module> {
  await isThere;
  return load();
}
