import { api } from '../../api/client.ts';

export const IF_THERE = ['compare', 'update', 'keep'] as const;
export type IfThere = (typeof IF_THERE)[number];

/** The service's limit, and a size that is sent quickly. */
const PART = { lines: 500, characters: 1024 ** 2 };
/** Maximum length of a line, as everywhere. */
const MAX_LINE = 1024 ** 2;
/** Maximum kept for display: more is a case for the command line. */
const MAX_REJECTIONS = 10_000;

type SentLine = { line: number; text: string } | { line: number; unreadable: 'too long' };
type Rejection = { line: number; clientUserId: string | null; code: string; reason: string };
export type ImportState = { counts: Record<string, number>; rejections: Rejection[]; share: number };

type Options = { ifThere: IfThere; signal: AbortSignal; onProgress(state: ImportState): void };

/** Imports a file of users in the format of `users export`, in parts: what was imported stays if a later part fails. */
export async function importFile(
  clientId: string,
  file: File,
  { ifThere, signal, onProgress }: Options,
): Promise<ImportState> {
  const seen = new Set<string>();
  const state: ImportState = { counts: {}, rejections: [], share: 0 };
  let importId: string | undefined;
  for await (const { lines, share } of partsOf(file)) {
    signal.throwIfAborted();
    const ids = idsOf(lines);
    const earlierIds = ids.filter((id) => seen.has(id));
    for (const id of ids) seen.add(id);
    const body = { lines, ifThere, earlierIds, ...(importId !== undefined && { import: importId }) };
    const input = { path: { clientId }, body, signal };
    const { data } = await api.post('/manage/v1/applications/{clientId}/users/import', input);
    importId = data.import;
    for (const [name, count] of Object.entries<number>(data.counts)) {
      state.counts[name] = (state.counts[name] ?? 0) + count;
    }
    state.rejections.push(...data.rejections.slice(0, MAX_REJECTIONS - state.rejections.length));
    state.share = share;
    onProgress({ ...state, counts: { ...state.counts } });
  }
  return state;
}

async function* partsOf(file: File): AsyncGenerator<{ lines: SentLine[]; share: number }> {
  let part: SentLine[] = [];
  let size = 0;
  for await (const { line, text, share } of linesOf(file)) {
    if (part.length === PART.lines || (part.length > 0 && size + text.length > PART.characters)) {
      yield { lines: part, share };
      [part, size] = [[], 0];
    }
    if (text.trim() === '') continue;
    part.push(text.length > MAX_LINE ? { line, unreadable: 'too long' } : { line, text });
    size += text.length;
  }
  if (part.length > 0) yield { lines: part, share: 1 };
}

async function* linesOf(file: File): AsyncGenerator<{ line: number; text: string; share: number }> {
  const reader = file.stream().getReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let [line, read, rest] = [0, 0, ''];
  for (let isDone = false; !isDone; ) {
    const { done, value } = await reader.read();
    isDone = done;
    read += value?.length ?? 0;
    const lines = (rest + decoder.decode(value, { stream: !done })).split('\n');
    rest = isDone ? '' : (lines.pop() ?? '');
    for (const text of lines) yield { line: ++line, text, share: read / file.size };
  }
}

/** Each clientUserId once: within a part, the service finds repeats itself. */
function idsOf(lines: readonly SentLine[]): string[] {
  const ids = lines.flatMap((line) => {
    try {
      const { clientUserId } = 'text' in line ? (JSON.parse(line.text) as { clientUserId?: unknown }) : {};
      return typeof clientUserId === 'string' ? [clientUserId] : [];
    } catch {
      return []; // the service reports what is wrong with it
    }
  });
  return [...new Set(ids)];
}
