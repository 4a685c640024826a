import { type Context, createContext } from 'react';

/** Something that can be asked of the panel, by its name. */
export type Command = { readonly name: string; readonly run: () => void };

/** What can be asked of the panel itself, whatever it shows. */
export const ShellCommands: Context<readonly Command[]> = createContext<readonly Command[]>([]);

/** The commands whose names have all words of a text, in their order. */
export function matching(commands: readonly Command[], text: string): readonly Command[] {
  const words = text.toLowerCase().split(/\s+/);
  return commands.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
}
