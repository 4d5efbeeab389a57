/** The changes of one action, which are undone together. */
export type Step = {
  kind: 'edit' | 'clear' | 'paste' | 'cut' | 'import';
  changes: { id: string; tag: string; from: string | null; to: string | null }[];
};

const MAX = 500;

export class History {
  #done: Step[] = [];
  #undone: Step[] = [];

  get undoable(): Step | undefined {
    return this.#done.at(-1);
  }

  get redoable(): Step | undefined {
    return this.#undone.at(-1);
  }

  add(step: Step): void {
    this.#done.push(step);
    if (this.#done.length > MAX) this.#done.shift();
    this.#undone = [];
  }

  /** The step that undoes the last one. */
  undo(): Step | undefined {
    const step = this.#done.pop();
    if (!step) return undefined;
    this.#undone.push(step);
    return { kind: step.kind, changes: step.changes.map(({ from, to, ...spot }) => ({ ...spot, from: to, to: from })) };
  }

  redo(): Step | undefined {
    const step = this.#undone.pop();
    if (step) this.#done.push(step);
    return step;
  }
}
