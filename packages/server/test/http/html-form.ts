/** The form's successful controls, as a browser without scripts would send them. */
export function formOf(page: string): URLSearchParams {
  const form = new URLSearchParams();
  for (const [tag, attributes, rest] of controlsOf(page)) {
    const name = attribute(attributes, 'name');
    if (name === undefined) continue;
    if (tag === 'textarea') form.append(name, unescaped(rest.replace(/^\n/, '')));
    else if (tag === 'select') {
      const chosen = /<option value="([^"]*)" selected>/.exec(rest)?.[1] ?? '';
      form.append(name, unescaped(chosen));
    } else {
      const isBox = /type="(checkbox|radio)"/.test(attributes);
      if (!isBox || / checked/.test(attributes)) form.append(name, attribute(attributes, 'value') ?? '');
    }
  }
  return form;
}

function controlsOf(page: string): [tag: string, attributes: string, rest: string][] {
  const found = page.matchAll(/<(input) ([^>]*)>|<(textarea|select) ([^>]*)>([\s\S]*?)<\/\3>/g);
  return [...found].map(([, input, of, other, attributes, rest]) => [
    (input ?? other) as string,
    (of ?? attributes) as string,
    rest ?? '',
  ]);
}

function attribute(attributes: string, name: string): string | undefined {
  const value = new RegExp(`(?:^| )${name}="([^"]*)"`).exec(attributes)?.[1];
  return value === undefined ? undefined : unescaped(value);
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function unescaped(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] as string);
}
