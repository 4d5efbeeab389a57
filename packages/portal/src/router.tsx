import { isInnkeeperError } from '@innkeeper/client/manage';
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { PORTAL_PATH } from './api/client.ts';
import { patiently } from './api/connection.ts';
import { sessionQuery } from './api/queries.ts';
import { queryClient } from './api/query-client.ts';
import { type EventType, isEventType } from './rooms/events/event-types.ts';
import { readRequestsSearch } from './rooms/requests/search.ts';
import { isProviderProblem, type ProviderProblemName } from './rooms/sign-in/problem-names.ts';
import { readTranslationsSearch } from './rooms/translations/search.ts';
import { readFilters } from './rooms/users/filters.ts';
import { ApplicationFrame } from './shell/application-frame.tsx';
import { Frame } from './shell/frame.tsx';
import { NotFound } from './shell/not-found.tsx';
import { Root } from './shell/root.tsx';
import { LoadingState, PageProblem } from './shell/states.tsx';

/** Every page of the portal, by its path. Each room is loaded when it is entered. */

const root = createRootRoute({ component: Root, notFoundComponent: () => <NotFound /> });

const signIn = createRoute({
  getParentRoute: () => root,
  path: 'sign-in',
  validateSearch: ({ next, problem }: Record<string, unknown>): { next?: string; problem?: ProviderProblemName } => ({
    ...(typeof next === 'string' && /^\/(?!\/)/.test(next) && { next }),
    ...(isProviderProblem(problem) && { problem }),
  }),
  component: lazyRouteComponent(
    patiently(() => import('./rooms/sign-in/sign-in-page.tsx')),
    'SignInPage',
  ),
});

/** Pages for signed-in users; anyone else is sent to the sign-in page, and then back to where they wanted to go. */
const frame = createRoute({
  getParentRoute: () => root,
  id: 'frame',
  component: Frame,
  async beforeLoad({ location }) {
    try {
      await queryClient.ensureQueryData(sessionQuery);
    } catch (error) {
      if (!isInnkeeperError(error) || error.status !== 401) throw error;
      throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { next: location.href } });
    }
  },
});

const applications = createRoute({
  getParentRoute: () => frame,
  path: '/',
  component: lazyRouteComponent(
    patiently(() => import('./rooms/applications/applications-page.tsx')),
    'ApplicationsPage',
  ),
});

const account = createRoute({
  getParentRoute: () => frame,
  path: 'account',
  component: lazyRouteComponent(
    patiently(() => import('./rooms/account/account-page.tsx')),
    'AccountPage',
  ),
});

const installationAudit = createRoute({
  getParentRoute: () => frame,
  path: 'audit',
  component: lazyRouteComponent(
    patiently(() => import('./rooms/audit/installation-audit-page.tsx')),
    'InstallationAuditPage',
  ),
});

/** Pages of one application. */
const application = createRoute({
  getParentRoute: () => frame,
  path: 'applications/$clientId',
  component: ApplicationFrame,
});

const overview = createRoute({
  getParentRoute: () => application,
  path: '/',
  component: lazyRouteComponent(
    patiently(() => import('./rooms/overview/overview-page.tsx')),
    'OverviewPage',
  ),
});

const catalog = createRoute({
  getParentRoute: () => application,
  path: 'catalog',
  // A group or key by its UID, for links to it; or a request to add the first group.
  validateSearch: ({ item, add }: Record<string, unknown>): { item?: string; add?: 'group' } => ({
    ...(typeof item === 'string' && { item }),
    ...(add === 'group' && { add }),
  }),
  component: lazyRouteComponent(
    patiently(() => import('./rooms/catalog/catalog-page.tsx')),
    'CatalogPage',
  ),
});

const revisions = createRoute({
  getParentRoute: () => application,
  path: 'revisions',
  validateSearch: (search: Record<string, unknown>): { revision?: number; from?: number; to?: number } =>
    Object.fromEntries(
      ['revision', 'from', 'to'].flatMap((name) =>
        Number.isSafeInteger(search[name]) && Number(search[name]) >= 0 ? [[name, search[name]]] : [],
      ),
    ),
  component: lazyRouteComponent(
    patiently(() => import('./rooms/revisions/revisions-page.tsx')),
    'RevisionsPage',
  ),
});

const translations = createRoute({
  getParentRoute: () => application,
  path: 'translations',
  validateSearch: readTranslationsSearch,
  component: lazyRouteComponent(
    patiently(() => import('./rooms/translations/translations-page.tsx')),
    'TranslationsPage',
  ),
});

const users = createRoute({
  getParentRoute: () => application,
  path: 'users',
  validateSearch: readFilters,
  component: lazyRouteComponent(
    patiently(() => import('./rooms/users/users-page.tsx')),
    'UsersPage',
  ),
});

const user = createRoute({
  getParentRoute: () => application,
  path: 'users/$userUid',
  component: lazyRouteComponent(
    patiently(() => import('./rooms/users/user-page.tsx')),
    'UserPage',
  ),
});

const insights = createRoute({
  getParentRoute: () => application,
  path: 'insights',
  validateSearch: ({ key }: Record<string, unknown>): { key?: string } => (typeof key === 'string' ? { key } : {}),
  component: lazyRouteComponent(
    patiently(() => import('./rooms/insights/insights-page.tsx')),
    'InsightsPage',
  ),
});

const requests = createRoute({
  getParentRoute: () => application,
  path: 'requests',
  validateSearch: readRequestsSearch,
  component: lazyRouteComponent(
    patiently(() => import('./rooms/requests/requests-page.tsx')),
    'RequestsPage',
  ),
});

const events = createRoute({
  getParentRoute: () => application,
  path: 'events',
  validateSearch: ({ type }: Record<string, unknown>): { type?: EventType } => (isEventType(type) ? { type } : {}),
  component: lazyRouteComponent(
    patiently(() => import('./rooms/events/events-page.tsx')),
    'EventsPage',
  ),
});

const audit = createRoute({
  getParentRoute: () => application,
  path: 'audit',
  component: lazyRouteComponent(
    patiently(() => import('./rooms/audit/audit-page.tsx')),
    'AuditPage',
  ),
});

const connect = createRoute({
  getParentRoute: () => application,
  path: 'connect',
  component: lazyRouteComponent(
    patiently(() => import('./rooms/connect/connect-page.tsx')),
    'ConnectPage',
  ),
});

const credentials = createRoute({
  getParentRoute: () => application,
  path: 'credentials',
  component: lazyRouteComponent(
    patiently(() => import('./rooms/credentials/credentials-page.tsx')),
    'CredentialsPage',
  ),
});

const webhooks = createRoute({
  getParentRoute: () => application,
  path: 'webhooks',
  component: lazyRouteComponent(
    patiently(() => import('./rooms/webhooks/webhooks-page.tsx')),
    'WebhooksPage',
  ),
});

const members = createRoute({
  getParentRoute: () => application,
  path: 'members',
  component: lazyRouteComponent(
    patiently(() => import('./rooms/members/members-page.tsx')),
    'MembersPage',
  ),
});

const tree = root.addChildren([
  signIn,
  frame.addChildren([
    applications,
    account,
    installationAudit,
    application.addChildren([
      overview,
      catalog,
      revisions,
      translations,
      users,
      user,
      insights,
      requests,
      events,
      audit,
      connect,
      credentials,
      webhooks,
      members,
    ]),
  ]),
]);

export const router = createRouter({
  routeTree: tree,
  basepath: PORTAL_PATH,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: PageProblem,
  defaultPendingComponent: LoadingState,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
