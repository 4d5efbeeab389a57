/** What the service says of a change, in its English; the words for it are in the portal's languages. */
const PATTERNS = [
  [/^tag (?<tag>\S+), the default$/, 'tagDefault'],
  [/^tag (?<tag>\S+)$/, 'tag'],
  [/^was (?<name>.*)$/s, 'was'],
  [/^becomes the default$/, 'becomesDefault'],
  [/^its texts are no longer served$/, 'notServed'],
  [/^order(?: of (?:keys|values))?: (?<list>.*)$/s, 'order'],
  [/^type: (?<from>.*) → (?<to>.*)$/s, 'type'],
  [/^multiple: (?<from>.*) → (?<to>.*)$/s, 'multiple'],
  [/^min: (?<from>.*) → (?<to>.*)$/s, 'min'],
  [/^max: (?<from>.*) → (?<to>.*)$/s, 'max'],
  [/^default: (?<from>.*) → (?<to>.*)$/s, 'default'],
  [/^constraint: (?<from>.*) → (?<to>.*)$/s, 'constraint'],
  [/^value added: (?<value>.*)$/s, 'valueAdded'],
  [/^value removed: (?<value>.*)$/s, 'valueRemoved'],
  [/^value retired: (?<value>.*)$/s, 'valueRetired'],
  [/^value no longer retired: (?<value>.*)$/s, 'valueBack'],
  [/^replacement of (?<value>.*): (?<from>.*) → (?<to>.*)$/s, 'replacement'],
  [/^takes any value that its constraint allows$/, 'takesAny'],
  [/^takes only (?<list>.*)$/s, 'takesOnly'],
] as const;

export type DetailWords = (typeof PATTERNS)[number][1];

const NOTHING = { tag: '', name: '', list: '', from: '', to: '', value: '' };

/** undefined: as it is said, such as a text before and after. */
export function readDetail(text: string): { words: DetailWords; slots: typeof NOTHING } | undefined {
  for (const [pattern, words] of PATTERNS) {
    const match = pattern.exec(text);
    if (match) return { words, slots: { ...NOTHING, ...match.groups } };
  }
  return undefined;
}
