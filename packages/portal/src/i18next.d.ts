import type account from './locales/en/account.json';
import type applications from './locales/en/applications.json';
import type audit from './locales/en/audit.json';
import type catalog from './locales/en/catalog.json';
import type connect from './locales/en/connect.json';
import type credentials from './locales/en/credentials.json';
import type events from './locales/en/events.json';
import type insights from './locales/en/insights.json';
import type members from './locales/en/members.json';
import type overview from './locales/en/overview.json';
import type palette from './locales/en/palette.json';
import type problems from './locales/en/problems.json';
import type requests from './locales/en/requests.json';
import type revisions from './locales/en/revisions.json';
import type shell from './locales/en/shell.json';
import type signIn from './locales/en/sign-in.json';
import type translations from './locales/en/translations.json';
import type users from './locales/en/users.json';
import type webhooks from './locales/en/webhooks.json';

// Types every text by its name: a missing one does not compile.
declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'shell';
    resources: {
      account: typeof account;
      applications: typeof applications;
      audit: typeof audit;
      catalog: typeof catalog;
      connect: typeof connect;
      credentials: typeof credentials;
      events: typeof events;
      insights: typeof insights;
      members: typeof members;
      overview: typeof overview;
      palette: typeof palette;
      problems: typeof problems;
      requests: typeof requests;
      revisions: typeof revisions;
      shell: typeof shell;
      'sign-in': typeof signIn;
      translations: typeof translations;
      users: typeof users;
      webhooks: typeof webhooks;
    };
  }
}
