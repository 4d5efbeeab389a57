import { InnkeeperProvider, OptionsForm, useSelections } from '@innkeeper/react';
import { StrictMode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';

declare global {
  // The test's side of the page.
  var connection: { baseUrl: string; apiKey: string; group: string };
  function nextToken(rejected: string | undefined): Promise<string>;
  /** From now on this one, instead of asking. */
  var giveToken: (token: string) => void;
  var showForm: (isShown: boolean) => void;
}

function Page() {
  const [language, setLanguage] = useState('en');
  const [token, setToken] = useState<string>();
  const [isShown, setIsShown] = useState(true);
  useEffect(() => {
    Object.assign(globalThis, { giveToken: setToken, showForm: setIsShown });
  }, []);
  const { baseUrl, apiKey, group } = globalThis.connection;
  return (
    <InnkeeperProvider
      baseUrl={baseUrl}
      apiKey={apiKey}
      language={language}
      accessToken={token ?? ((rejected) => globalThis.nextToken(rejected))}
    >
      <nav>
        {['en', 'de', 'ar'].map((tag) => (
          <button type="button" key={tag} onClick={() => setLanguage(tag)}>
            {tag}
          </button>
        ))}
      </nav>
      <main>
        <h1>Page</h1>
        {isShown && <OptionsForm group={group} />}
        <Held />
      </main>
    </InnkeeperProvider>
  );
}

/** What others on the page see of the same selections. */
function Held() {
  const { data = [] } = useSelections({ group: globalThis.connection.group });
  return <pre>{JSON.stringify(Object.fromEntries(data.map(({ option }) => [option.name, option.value])))}</pre>;
}

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <Page />
    </StrictMode>,
  );
}
