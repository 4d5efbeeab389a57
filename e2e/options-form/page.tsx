import { createOptionsClient, type StoreData } from '@innkeeper/client';
import { InnkeeperProvider, OptionField, OptionsForm, useOption, useUnsavedOptions } from '@innkeeper/react';
import { StrictMode, useEffect, useMemo, useState, version } from 'react';
import { createRoot } from 'react-dom/client';

export type Shown = {
  /** undefined: signed out. */
  userId?: string | undefined;
  /** Used instead of calling `nextToken`. */
  token?: string | undefined;
  language?: string;
  isShown?: boolean;
  saveOn?: 'change' | 'submit';
  timeout?: number;
  live?: boolean;
  data?: StoreData;
};

declare global {
  // The test's handles into the page.
  var connection: { baseUrl: string; apiKey: string; group: string };
  var shown: Shown;
  function nextToken(rejected: string | undefined): Promise<string>;
  var show: (change: Shown) => void;
}

function Page() {
  const [shown, setShown] = useState<Shown>({ userId: 'ada', language: 'en', isShown: true, ...globalThis.shown });
  useEffect(() => {
    globalThis.show = (change) => setShown((before) => ({ ...before, ...change }));
  }, []);
  const { baseUrl, apiKey, group } = globalThis.connection;
  const { token, timeout = 10_000, language, saveOn, live, data } = shown;
  const client = useMemo(
    () =>
      createOptionsClient({
        baseUrl,
        apiKey,
        timeout,
        retries: 0,
        accessToken: token ?? ((rejected) => globalThis.nextToken(rejected)),
      }),
    [baseUrl, apiKey, token, timeout],
  );
  return (
    <InnkeeperProvider client={client} userId={shown.userId} language={language} live={live} data={data}>
      <nav>
        {['en', 'de', 'ar'].map((tag) => (
          <button type="button" key={tag} onClick={() => setShown((before) => ({ ...before, language: tag }))}>
            {tag}
          </button>
        ))}
      </nav>
      <main>
        <h1>Page</h1>
        {shown.isShown && <OptionsForm group={group} saveOn={saveOn} exclude={['all.size']} />}
        {shown.isShown && <OptionField name="all.size" />}
        <Held />
      </main>
    </InnkeeperProvider>
  );
}

/** What other components on the page see of the same selections. */
function Held() {
  const names = ['newsletter', 'consent', 'theme', 'size', 'channels', 'volume', 'ratio', 'birthday', 'motto', 'tags'];
  const unsaved = useUnsavedOptions();
  const held = Object.assign({}, ...names.map(useHeld)) as object;
  return (
    <>
      <pre>{JSON.stringify(held)}</pre>
      <output aria-label="unsaved">{unsaved.map(({ name }) => name).join(' ')}</output>
    </>
  );
}

const useHeld = (name: string) => {
  const { value } = useOption(`all.${name}`);
  return value === undefined ? {} : { [name]: value };
};

const root = document.getElementById('root');
if (root) {
  root.dataset.react = version;
  createRoot(root).render(
    <StrictMode>
      <Page />
    </StrictMode>,
  );
}
