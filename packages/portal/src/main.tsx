import './mantine.css';
import '@mantine/notifications/styles.css';
import './portal.css';
import { isInnkeeperError } from '@innkeeper/client/manage';
import { MantineProvider } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { sessionQuery } from './api/queries.ts';
import { queryClient } from './api/query-client.ts';
import { startTranslations } from './i18n.ts';
import { router } from './router.tsx';
import { returnFocusFromDialogs } from './shell/return-focus.ts';
import { colorSchemeStore, theme } from './theme.ts';

/** The service gives every page a new nonce: only styles that have it are allowed (Content-Security-Policy). */
const nonce = document.querySelector<HTMLScriptElement>('script[type=module]')?.nonce ?? '';
setNonce(nonce);

returnFocusFromDialogs();

// In parallel with the texts.
void queryClient.prefetchQuery(sessionQuery);
await startTranslations();

createRoot(document.getElementById('root') as HTMLElement, {
  // A refusal is shown in its room, or the frame shows that there is no such application: nothing is broken.
  onCaughtError(error) {
    if (!isInnkeeperError(error)) reportError(error);
  },
}).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={colorSchemeStore}
      getStyleNonce={() => nonce}
      // Mantine makes them from the theme: they are not in mantine.css a second time.
      deduplicateCssVariables={false}
    >
      <QueryClientProvider client={queryClient}>
        <ModalsProvider>
          <RouterProvider router={router} />
        </ModalsProvider>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
