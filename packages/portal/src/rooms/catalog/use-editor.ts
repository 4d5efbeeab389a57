import { useEffect, useRef, useState } from 'react';
import type { Tree } from '../../draft/queries.ts';
import { useUnsaved } from '../../draft/unsaved.ts';
import type { Edit } from '../../draft/use-edit.ts';
import { stable } from './key-form.ts';
import type { FieldConflict, Three } from './merge.ts';
import { useMergedSave } from './use-merged-save.ts';

/** What is edited: as the draft has it, as the catalog file would, and as somebody types it. */
type Edited<Item, Content, Form> = {
  clientId: string;
  tree: Tree;
  item: Item;
  toForm(content: Item | Content): Form;
  toContent(form: Form): Content;
  /** undefined when it is gone. */
  find(tree: Tree): Item | undefined;
  merge(three: Three<Content>): { merged: Content; conflicts: FieldConflict[] };
  /** What makes one of the other in the draft. */
  edit(before: Content, after: Content): Edit<unknown>;
};

/**
 * Something of the catalog while somebody types. It is the page's own until it is saved to the draft, and is not left
 * unasked. What others do meanwhile is shown at once, or kept for when it is saved if something is typed.
 */
export function useEditor<Item, Content, Form>(edited: Edited<Item, Content, Form>) {
  const { clientId, tree, item, toForm, toContent, find, merge, edit } = edited;
  const contentOf = (each: Item | Content) => toContent(toForm(each));
  // What the form was made from: what is not different from it was not changed here.
  const [base, setBase] = useState(() => contentOf(item));
  const [form, setForm] = useState(() => toForm(item));
  const { save, isPending, conflict, error, forget } = useMergedSave(clientId, tree);
  const content = toContent(form);
  const isChanged = stable(content) !== stable(base);
  useUnsaved(isChanged);

  const take = (from: Item | Content) => {
    setBase(contentOf(from));
    // Where it is the same, what is typed stays as it is typed.
    setForm((held) => (stable(toContent(held)) === stable(contentOf(from)) ? held : toForm(from)));
  };
  const isTyping = useRef(isChanged);
  isTyping.current = isChanged;
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the draft has another one, an undo's or our own included
  useEffect(() => {
    if (!isTyping.current) take(item);
  }, [item]);

  /** Whether it is in the draft now. */
  const submit = async (force = false): Promise<boolean> => {
    if (!isChanged) return false;
    let merged = content;
    const saved = await save({
      force,
      mergeInto(now) {
        const found = find(now);
        if (found === undefined) return 'gone';
        const theirs = contentOf(found);
        const both = merge({ base, mine: content, theirs });
        merged = both.merged;
        return { edit: edit(theirs, merged), conflicts: both.conflicts };
      },
    });
    if (!saved) return false;
    setBase(merged);
    setForm((held) => {
      const typed = toContent(held);
      if (stable(typed) === stable(merged)) return held;
      // Others' changes that came with it, under what was typed since.
      return toForm(merge({ base: content, mine: typed, theirs: merged }).merged);
    });
    return true;
  };

  return {
    form,
    setForm,
    content,
    isChanged,
    isPending,
    error,
    submit,
    reset: () => {
      take(item);
      forget();
    },
    /** For the dialog that shows both sides. */
    conflict: {
      conflict,
      onTakeTheirs: () => {
        take(find(tree) ?? item);
        forget();
      },
      onClose: forget,
    },
  };
}
