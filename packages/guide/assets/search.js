// Searches every passage of every page by word, prefix and near match.

import MiniSearch from './minisearch.js';

export async function makeFinder() {
  const answer = await fetch(new URL('search-index.json', import.meta.url));
  const index = new MiniSearch({
    idField: 'at',
    fields: ['heading', 'page', 'text'],
    storeFields: ['at', 'page', 'heading', 'text'],
    searchOptions: {
      boost: { heading: 4, page: 2 },
      prefix: true,
      fuzzy: (term) => (term.length > 4 ? 0.2 : false),
      combineWith: 'AND',
      // Guides rank above API pages, and these above decisions.
      boostDocument: (at) => (/^(decisions|changelog)/.test(at) ? 0.4 : at.startsWith('api/') ? 0.5 : 1),
    },
  });
  index.addAll(await answer.json());
  return (words) => index.search(words);
}
