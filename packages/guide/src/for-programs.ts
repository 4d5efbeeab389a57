import type { Section, Source } from './section.ts';

/** llms.txt (llmstxt.org): what there is to read, as links to Markdown, relative to /guide/. */
export function listForPrograms(sections: Section[]): string {
  const lists = sections.map(({ title, pages }) => {
    const lines = pages.map((page) => `- [${page.title}](${page.path || 'index'}.md)${firstSentence(page)}`);
    return `## ${title === 'Decisions' ? 'Optional' : title}\n\n${lines.join('\n')}\n`;
  });
  return [
    '# Innkeeper\n',
    '> A self-hosted service for the users of your applications and their preferences: it creates users, issues access tokens, stores what users select from an option catalog, and deletes users with all of their data.\n',
    'All pages in one file: [llms-full.txt](llms-full.txt). The API: [openapi.json](../openapi.json). Its events: [asyncapi.json](../asyncapi.json). The JSON Schema of catalog files: [catalog.schema.json](../catalog.schema.json).\n',
    ...lists,
  ].join('\n');
}

export function wholeText(sections: Section[]): string {
  return sections
    .flatMap(({ title, pages }) => (title === 'Decisions' ? [] : pages))
    .map(({ markdown }) => markdown.trim())
    .join('\n\n---\n\n')
    .concat('\n');
}

/** The first complete one: a sentence that ends in a colon belongs to what follows. */
function firstSentence({ markdown }: Source): string {
  const paragraphs = markdown.split(/\n\n+/).filter((text) => /^[A-Z`[]/.test(text));
  const sentences = paragraphs.map((text) => /^.+?\.(?= [A-Z`[(]|$)/s.exec(text)?.[0]);
  const first = sentences.find((sentence) => sentence !== undefined);
  return first ? `: ${first.replaceAll('\n', ' ').replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')}` : '';
}
