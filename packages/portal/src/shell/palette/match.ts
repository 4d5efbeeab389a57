/** A place to go or an action. */
export type Command = {
  id: string;
  label: string;
  /** More words that find it; the first is shown next to the label to tell entries apart. */
  hint?: string;
  words?: string;
  run(): unknown;
};

const fold = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** Entries that contain every typed word: first labels that start with it, then words that do, then the rest. */
export function match<T extends Command>(commands: readonly T[], typed: string, most: number): T[] {
  const wanted = fold(typed).split(/\s+/).filter(Boolean);
  const [first = ''] = wanted;
  const ranked = commands.flatMap((command) => {
    const label = fold(command.label);
    const all = fold(`${command.label} ${command.hint ?? ''} ${command.words ?? ''}`);
    if (!wanted.every((word) => all.includes(word))) return [];
    const rank = label.startsWith(first) ? 0 : ` ${all}`.includes(` ${first}`) ? 1 : 2;
    return [{ command, rank }];
  });
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .slice(0, most)
    .map(({ command }) => command);
}
