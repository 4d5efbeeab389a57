import { usePrefetchQuery, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { sessionQuery } from '../../api/queries.ts';
import { keptTexts } from './kept-texts.ts';
import { textSender, textsQuery } from './queries.ts';
import { Sheet } from './sheet.ts';

/** One per application for as long as the portal is open, so that saving continues after leaving the room. */
const sheets = new Map<string, Sheet>();

function sheetOf(clientId: string, email: string): Sheet {
  const name = `${clientId} ${email}`;
  const sheet = sheets.get(name) ?? new Sheet(textSender(clientId), keptTexts(clientId, email));
  sheets.set(name, sheet);
  return sheet;
}

export function useSheet(clientId: string) {
  const { data: session } = useSuspenseQuery(sessionQuery);
  const sheet = sheetOf(clientId, session.email);
  const state = useSyncExternalStore(sheet.subscribe, () => sheet.state);
  // Immediately, in parallel with the other requests of the page.
  usePrefetchQuery(textsQuery(clientId, sheet));
  const query = useQuery(textsQuery(clientId, sheet));

  useEffect(() => {
    const saveNow = () => sheet.saveNow();
    const warn = (event: BeforeUnloadEvent) => {
      if (sheet.state.unsaved > 0 || sheet.isTyping) event.preventDefault();
    };
    window.addEventListener('online', saveNow);
    window.addEventListener('beforeunload', warn);
    return () => {
      window.removeEventListener('online', saveNow);
      window.removeEventListener('beforeunload', warn);
      sheet.leave();
    };
  }, [sheet]);

  return { sheet, state, query };
}
