/** A model of an application's catalog without UIDs, texts and storage. Items are identified by a number. */
type ModelKey = { id: number; name: string; archived: boolean };
type ModelGroup = { id: number; name: string; archived: boolean; keys: ModelKey[] };
export type ModelCatalog = ModelGroup[];

export type ModelEdit =
  | { do: 'addGroup'; name: string }
  | { do: 'addKey'; group: number; name: string }
  | { do: 'renameGroup'; group: number; name: string }
  | { do: 'renameKey'; key: number; name: string }
  | { do: 'archiveGroup'; group: number }
  | { do: 'archiveKey'; key: number }
  | { do: 'restoreGroup'; group: number }
  | { do: 'restoreKey'; key: number }
  | { do: 'moveKey'; key: number; group: number };

export class ModelRefusal extends Error {}

/** Maximum number of edits that can be undone. */
const UNDONE = 100;

export class CatalogModel {
  published: ModelCatalog = [];
  draft: ModelCatalog | undefined;
  #undo: ModelCatalog[] = [];
  #redo: ModelCatalog[] = [];
  #lastId = 0;

  /** Edits the draft or the published catalog; returns whether something changed. Throws ModelRefusal. */
  edit(edit: ModelEdit, inDraft: boolean): boolean {
    const before = (inDraft ? this.draft : undefined) ?? this.published;
    const after = structuredClone(before);
    this.#apply(after, edit);
    if (JSON.stringify(after) === JSON.stringify(before)) return false;
    if (!inDraft) this.published = after;
    else {
      this.#undo = [...this.#undo, before].slice(-UNDONE);
      this.#redo = [];
      this.draft = after;
    }
    return true;
  }

  step(kind: 'undo' | 'redo'): void {
    const [from, to] = kind === 'undo' ? [this.#undo, this.#redo] : [this.#redo, this.#undo];
    const state = from.pop();
    if (!this.draft || !state) throw new ModelRefusal(kind);
    to.push(this.draft);
    this.draft = state;
  }

  publish(): void {
    if (!this.draft) throw new ModelRefusal('publish');
    this.published = publishedOf(this.published, this.draft);
    this.draft = undefined;
    this.#undo = [];
    this.#redo = [];
  }

  #apply(groups: ModelCatalog, edit: ModelEdit): void {
    const group = (id: number) => groups.find((each) => each.id === id) as ModelGroup;
    const holder = (id: number) => groups.find(({ keys }) => keys.some((key) => key.id === id)) as ModelGroup;
    const key = (id: number) => holder(id).keys.find((each) => each.id === id) as ModelKey;
    switch (edit.do) {
      case 'addGroup': {
        refuseTaken(groups, edit.name);
        const archived = groups
          .filter(({ name }) => name === edit.name)
          .sort(byId)
          .at(-1);
        if (!archived) groups.push({ id: ++this.#lastId, name: edit.name, archived: false, keys: [] });
        else {
          archived.archived = false;
          // An archived group is reported without keys.
          for (const each of archived.keys) each.archived = true;
          toEnd(groups, archived);
        }
        return;
      }
      case 'addKey': {
        const { keys } = live(group(edit.group));
        refuseTaken(keys, edit.name);
        const archived = keys
          .filter(({ name }) => name === edit.name)
          .sort(byId)
          .at(-1);
        if (!archived) keys.push({ id: ++this.#lastId, name: edit.name, archived: false });
        else {
          archived.archived = false;
          toEnd(keys, archived);
        }
        return;
      }
      case 'renameGroup': {
        const found = live(group(edit.group));
        if (found.name !== edit.name) refuseTaken(groups, edit.name);
        found.name = edit.name;
        return;
      }
      case 'renameKey': {
        const found = live(key(edit.key), holder(edit.key));
        if (found.name !== edit.name) refuseTaken(holder(edit.key).keys, edit.name);
        found.name = edit.name;
        return;
      }
      case 'archiveGroup':
        live(group(edit.group)).archived = true;
        return;
      case 'archiveKey':
        live(key(edit.key), holder(edit.key)).archived = true;
        return;
      case 'restoreGroup': {
        const found = group(edit.group);
        if (!found.archived) return;
        refuseTaken(groups, found.name);
        found.archived = false;
        toEnd(groups, found);
        return;
      }
      case 'restoreKey': {
        const { keys } = live(holder(edit.key));
        const found = key(edit.key);
        if (!found.archived) return;
        refuseTaken(keys, found.name);
        found.archived = false;
        toEnd(keys, found);
        return;
      }
      case 'moveKey': {
        const found = live(key(edit.key), holder(edit.key));
        const [from, to] = [holder(edit.key), live(group(edit.group))];
        if (from === to) return;
        refuseTaken(to.keys, found.name);
        from.keys.splice(from.keys.indexOf(found), 1);
        to.keys.push(found);
        return;
      }
    }
  }
}

function live<T extends { archived: boolean }>(item: T, group?: { archived: boolean }): T {
  if (item.archived || group?.archived) throw new ModelRefusal('archived');
  return item;
}

function refuseTaken(items: readonly { name: string; archived: boolean }[], name: string): void {
  if (items.some((each) => !each.archived && each.name === name)) throw new ModelRefusal('taken');
}

function toEnd<T>(items: T[], item: T): void {
  items.splice(items.indexOf(item), 1);
  items.push(item);
}

function byId(a: { id: number }, b: { id: number }): number {
  return a.id - b.id;
}

/**
 * What publishing this draft results in. Items that nobody could ever choose are special: those created and archived in
 * the draft vanish, and those archived before and after stay as they were.
 */
function publishedOf(before: ModelCatalog, draft: ModelCatalog): ModelCatalog {
  const known = new Map(before.flatMap((group) => group.keys.map((key) => [key.id, { key, group }] as const)));
  const isOffered = (key: ModelKey, group: ModelGroup) => !key.archived && !group.archived;
  const placed = new Set<number>();
  const groups = draft.flatMap((group): ModelGroup[] => {
    const old = before.find(({ id }) => id === group.id);
    const keys = group.keys.filter((key) => {
      const was = known.get(key.id);
      return isOffered(key, group) || (was && isOffered(was.key, was.group));
    });
    if (group.archived && !old && keys.length === 0) return [];
    for (const { id } of keys) placed.add(id);
    return [{ ...(group.archived && old?.archived ? old : group), keys }];
  });
  for (const old of before) {
    const group = groups.find(({ id }) => id === old.id);
    group?.keys.push(...old.keys.filter(({ id }) => !placed.has(id)));
  }
  return groups;
}
