import { useEffect, useRef, useState } from 'react';
import type { Tree } from '../../draft/queries.ts';
import { useUnsaved } from '../../draft/unsaved.ts';
import type { Edit } from '../../draft/use-edit.ts';
import { stable } from './key-form.ts';
import type { FieldConflict, Three } from './merge.ts';
import { useMergedSave } from './use-merged-save.ts';

/** The edited item: in the draft, in the form of the catalog file, and as typed. */
type Edited<Item, Content, Form> = {
  clientId: string;
  tree: Tree;
  item: Item;
  toForm(content: Item | Content): Form;
  toContent(form: Form): Content;
  /** undefined if it no longer exists. */
  find(tree: Tree): Item | undefined;
  merge(three: Three<Content>): { merged: Content; conflicts: FieldConflict[] };
  /** The edit that turns one into the other in the draft. */
  edit(before: Content, after: Content): Edit<unknown>;
};

/**
 * An item of the catalog while someone types. Input stays in the page until it is saved to the draft, and the page asks
 * before it is left. Changes by others are shown immediately, or merged on save if something is typed.
 */
export function useEditor<Item, Content, Form>(edited: Edited<Item, Content, Form>) {
  const { clientId, tree, item, toForm, toContent, find, merge, edit } = edited;
  const contentOf = (each: Item | Content) => toContent(toForm(each));
  // What the form was made from: anything equal to it was not changed here.
  const [base, setBase] = useState(() => contentOf(item));
  const [form, setForm] = useState(() => toForm(item));
  const { save, isPending, conflict, error, forget } = useMergedSave(clientId, tree);
  const content = toContent(form);
  const isChanged = stable(content) !== stable(base);
  useUnsaved(isChanged);

  const take = (from: Item | Content) => {
    setBase(contentOf(from));
    // If nothing changed, the input stays exactly as typed.
    setForm((held) => (stable(toContent(held)) === stable(contentOf(from)) ? held : toForm(from)));
  };
  const isTyping = useRef(isChanged);
  isTyping.current = isChanged;
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the draft's version changes, including by undo or our own edit
  useEffect(() => {
    if (!isTyping.current) take(item);
  }, [item]);

  /** Resolves to whether it is in the draft now. */
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
      // Others' changes that came with it, below what was typed since.
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
