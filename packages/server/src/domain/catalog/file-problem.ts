import type { Texts } from './catalog.ts';

/** What is wrong with a file, and where: the path leads to the line; with `atName`, to the name before the colon. */
export type FileProblem = { path: (string | number)[]; message: string; atName?: true };
export type Report = (path: (string | number)[], message: string, atName?: true) => void;
export type TextReader = (translations: Record<string, string> | undefined, path: (string | number)[]) => Texts;
