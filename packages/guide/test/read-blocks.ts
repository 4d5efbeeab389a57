/** A fenced block: its language, and what follows it: a file name, or `refused` if it must fail. */
export type Block = { language: string; file: string | undefined; refused: boolean; text: string; line: number };

export function readBlocks(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w*)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map((match) => {
    const [, language = '', word, text = ''] = match;
    const refused = word === 'refused';
    const line = markdown.slice(0, match.index).split('\n').length;
    return { language, file: refused ? undefined : word, refused, text: text.trimEnd(), line };
  });
}
