import { type Context, createContext } from 'react';

export type Command = { readonly name: string; readonly run: () => void };

/** The commands of the panel itself, available in every view. */
export const ShellCommands: Context<readonly Command[]> = createContext<readonly Command[]>([]);

/** Filters the commands by name: each word of the text must occur, in any order. */
export function matchCommands(commands: readonly Command[], text: string): readonly Command[] {
  const words = text.toLowerCase().split(/\s+/);
  return commands.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
}
