import { createOptionsClient, type PageClient } from '@innkeeper/client';
import { InnkeeperProvider, OptionsForm, useOption, useUnsavedOptions } from '@innkeeper/react';
import '@innkeeper/react/styles.css';
import { StrictMode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { Catalog } from '../catalog.ts';
import './page.css';
import { LANGUAGES, type Tag, WORDS } from './words.ts';

declare module '@innkeeper/react' {
  // Names and values are checked by the compiler from here on.
  interface Register {
    catalog: Catalog;
  }
}

/** Gets an access token of the signed-in user: called again when one has expired. */
async function accessToken(): Promise<string> {
  const response = await fetch('/token', { method: 'POST' });
  if (!response.ok) throw new Error(await response.text());
  return response.text();
}

function App({ client, signedIn }: { client: PageClient<Catalog>; signedIn: string | null }) {
  const [language, setLanguage] = useState<Tag>((localStorage.getItem('language') as Tag | null) ?? 'en');
  const [name, setName] = useState(signedIn);
  const words = WORDS[language];
  useEffect(() => {
    localStorage.setItem('language', language);
    Object.assign(document.documentElement, { lang: language, dir: language === 'ar' ? 'rtl' : 'ltr' });
  }, [language]);

  return (
    <>
      <header>
        <nav aria-label={words.language}>
          {Object.entries(LANGUAGES).map(([tag, its]) => (
            <button
              key={tag}
              type="button"
              lang={tag}
              aria-pressed={tag === language}
              onClick={() => setLanguage(tag as Tag)}
            >
              {its}
            </button>
          ))}
        </nav>
        <h1>{words.title}</h1>
      </header>
      <main>
        {name === null ? (
          <SignIn words={words} onSignedIn={setName} />
        ) : (
          <InnkeeperProvider client={client} userId={name} language={language}>
            <p>
              {words.hello} <bdi>{name}</bdi>
            </p>
            <Theme />
            <OptionsForm group="appearance" />
            <OptionsForm group="notifications" />
            <AskBeforeLeaving />
            <button
              type="button"
              onClick={() => {
                void fetch('/delete-account', { method: 'POST' }).then(({ ok }) => ok && setName(null));
              }}
            >
              {words.leave}
            </button>
          </InnkeeperProvider>
        )}
      </main>
    </>
  );
}

function SignIn({ words, onSignedIn }: { words: (typeof WORDS)[Tag]; onSignedIn(name: string): void }) {
  return (
    <form
      action={async (form) => {
        const name = String(form.get('name')).trim();
        if ((await fetch('/sign-in', { method: 'POST', body: name })).ok) onSignedIn(name);
      }}
    >
      <label>
        {words.name} <input name="name" required maxLength={100} />
      </label>{' '}
      <button type="submit">{words.enter}</button>
    </form>
  );
}

/** Choices made in the form apply to the page immediately. */
function Theme() {
  const { value } = useOption('appearance.theme');
  useEffect(() => {
    document.documentElement.dataset.theme = value === 'dark' ? 'dark' : 'light';
  }, [value]);
  return null;
}

/** Asks only if something could not be saved: typed input is saved when the page is left. */
function AskBeforeLeaving() {
  const isUnsaved = useUnsavedOptions().length > 0;
  useEffect(() => {
    if (!isUnsaved) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isUnsaved]);
  return null;
}

const [connection, me] = await Promise.all(['/connection', '/me'].map(async (path) => (await fetch(path)).json()));
const client = createOptionsClient<Catalog>({ ...connection, accessToken });
const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App client={client} signedIn={me.name} />
    </StrictMode>,
  );
}
