import { InnkeeperProvider, OptionsForm, useSelections } from '@innkeeper/react';
import '@innkeeper/react/styles.css';
import { StrictMode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import type { Catalog } from '../catalog.ts';
import './page.css';
import { LANGUAGES, type Tag, WORDS } from './words.ts';

type Connection = { baseUrl: string; apiKey: string };

/** Of whoever is signed in to this application: asked for again when one has expired. */
async function accessToken(): Promise<string> {
  const answer = await fetch('/token', { method: 'POST' });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.text();
}

function App({ connection, signedIn }: { connection: Connection; signedIn: string | null }) {
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
          <InnkeeperProvider key={name} {...connection} accessToken={accessToken} language={language}>
            <p>
              {words.hello} <bdi>{name}</bdi>
            </p>
            <Theme />
            <OptionsForm<Catalog> group="appearance" />
            <OptionsForm<Catalog> group="notifications" />
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

/** What is chosen in the form holds on the page at once. */
function Theme() {
  const { data = [] } = useSelections<Catalog>({ group: 'appearance' });
  const theme = data.find(({ option }) => option.name === 'theme')?.option.value;
  useEffect(() => {
    document.documentElement.dataset.theme = theme === 'dark' ? 'dark' : 'light';
  }, [theme]);
  return null;
}

const [connection, me] = await Promise.all(['/connection', '/me'].map(async (path) => (await fetch(path)).json()));
const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App connection={connection} signedIn={me.name} />
    </StrictMode>,
  );
}
