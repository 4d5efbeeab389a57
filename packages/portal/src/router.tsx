import { isInnkeeperError } from '@innkeeper/client/manage';
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { catalogTreeQuery } from './api/catalog-names.ts';
import { PORTAL_PATH } from './api/client.ts';
import { loadWhenReachable } from './api/connection.ts';
import { allApplicationsQuery, applicationQuery, sessionQuery, signInMethodsQuery } from './api/queries.ts';
import { queryClient } from './api/query-client.ts';
import { prefetchList, prefetchQuery, whileLoading } from './api/while-loading.ts';
import { draftQuery, treeQuery } from './draft/queries.ts';
import { sessionsQuery, tokensQuery } from './rooms/account/queries.ts';
import { auditQuery, EVERYTHING } from './rooms/audit/queries.ts';
import { type EventType, isEventType } from './rooms/events/event-types.ts';
import { eventsQuery } from './rooms/events/queries.ts';
import { invitationsQuery, membersQuery } from './rooms/members/queries.ts';
import { activityQuery, overviewQuery } from './rooms/overview/queries.ts';
import { requestsQuery } from './rooms/requests/queries.ts';
import { readRequestsSearch } from './rooms/requests/search.ts';
import { revisionsQuery } from './rooms/revisions/queries.ts';
import { isProviderProblem, type ProviderProblemName } from './rooms/sign-in/problem-names.ts';
import { languagesQuery } from './rooms/translations/languages-query.ts';
import { readTranslationsSearch } from './rooms/translations/search.ts';
import { readFilters } from './rooms/users/filters.ts';
import { countUsersQuery, userOptionsQuery, userQuery, usersQuery } from './rooms/users/queries.ts';
import { webhooksQuery } from './rooms/webhooks/queries.ts';
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
    loadWhenReachable(() => import('./rooms/sign-in/sign-in-page.tsx')),
    'SignInPage',
  ),
});

/** Pages for signed-in users; anyone else is sent to the sign-in page, and then back to where they wanted to go. */
const frame = createRoute({
  getParentRoute: () => root,
  id: 'frame',
  component: Frame,
  // A loader, not beforeLoad: the room loads at the same time.
  async loader({ location }): Promise<void> {
    try {
      await queryClient.ensureQueryData(sessionQuery);
    } catch (error) {
      if (!isInnkeeperError(error) || error.status !== 401) throw error;
      // The room's queries were refused meanwhile, and must run again after sign-in.
      queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
      throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { next: location.href } });
    }
  },
});

const applications = createRoute({
  getParentRoute: () => frame,
  path: '/',
  component: lazyRouteComponent(
    loadWhenReachable(() => import('./rooms/applications/applications-page.tsx')),
    'ApplicationsPage',
  ),
  loader: whileLoading(['applications'], () => [prefetchQuery(allApplicationsQuery)]),
});

const account = createRoute({
  getParentRoute: () => frame,
  path: 'account',
  component: lazyRouteComponent(
    loadWhenReachable(() => import('./rooms/account/account-page.tsx')),
    'AccountPage',
  ),
  loader: whileLoading(['account'], () => [
    prefetchQuery(signInMethodsQuery),
    prefetchQuery(sessionsQuery),
    prefetchQuery(tokensQuery),
  ]),
});

const installationAudit = createRoute({
  getParentRoute: () => frame,
  path: 'audit',
  component: lazyRouteComponent(
    loadWhenReachable(() => import('./rooms/audit/installation-audit-page.tsx')),
    'InstallationAuditPage',
  ),
  loader: whileLoading(['audit'], () => [prefetchList(auditQuery(null, EVERYTHING))]),
});

/** Pages of one application. */
type OfApplication = { clientId: string };

const application = createRoute({
  getParentRoute: () => frame,
  path: 'applications/$clientId',
  component: ApplicationFrame,
  loader: whileLoading(['shell'], ({ clientId }: OfApplication) => [prefetchQuery(applicationQuery(clientId))]),
});

const overview = createRoute({
  getParentRoute: () => application,
  path: '/',
  component: lazyRouteComponent(
    loadWhenReachable(() => import('./rooms/overview/overview-page.tsx')),
    'OverviewPage',
  ),
  loader: whileLoading(['overview'], ({ clientId }: OfApplication) => [
    prefetchQuery(overviewQuery(clientId)),
    prefetchQuery(activityQuery(clientId, 'day')),
    prefetchQuery(webhooksQuery(clientId)),
  ]),
});

type CatalogSearch = { item?: string; open?: 'add-group' | 'publish' };

const catalog = createRoute({
  getParentRoute: () => application,
  path: 'catalog',
  // A group or key by its UID, for links to it; or a dialog to open.
  validateSearch: ({ item, open }: Record<string, unknown>): CatalogSearch => ({
    ...(typeof item === 'string' && { item }),
    ...((open === 'add-group' || open === 'publish') && { open }),
  }),
  component: lazyRouteComponent(
    loadWhenReachable(() => import('./rooms/catalog/catalog-page.tsx')),
    'CatalogPage',
  ),
  loader: whileLoading(['catalog'], ({ clientId }: OfApplication) => [
    prefetchQuery(treeQuery(clientId)),
    prefetchQuery(draftQuery(clientId)),
  ]),
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
    loadWhenReachable(() => import('./rooms/revisions/revisions-page.tsx')),
    'RevisionsPage',
  ),
  loader: whileLoading(['revisions', 'catalog'], ({ clientId }: OfApplication) => [
    prefetchList(revisionsQuery(clientId)),
    prefetchQuery(draftQuery(clientId)),
  ]),
});

const translations = createRoute({
  getParentRoute: () => application,
  path: 'translations',
  validateSearch: readTranslationsSearch,
  component: lazyRouteComponent(
    loadWhenReachable(() => import('./rooms/translations/translations-page.tsx')),
    'TranslationsPage',
  ),
  loader: whileLoading(['translations', 'problems'], ({ clientId }: OfApplication) => [
    prefetchQuery(languagesQuery(clientId)),
  ]),
});

const users = createRoute({
  getParentRoute: () => application,
  path: 'users',
  validateSearch: readFilters,
  component: lazyRouteComponent(
    loadWhenReachable(() => import('./rooms/users/users-page.tsx')),
    'UsersPage',
  ),
  loader: whileLoading(['users'], ({ clientId }: OfApplication, search) => {
    const filters = readFilters(search);
    const counted = filters.search === undefined ? [prefetchQuery(countUsersQuery(clientId, filters))] : [];
    return [prefetchList(usersQuery(clientId, filters)), prefetchQuery(catalogTreeQuery(clientId)), ...counted];
  }),
});

const user = createRoute({
  getParentRoute: () => application,
  path: 'users/$userUid',
  component: lazyRouteComponent(
    loadWhenReachable(() => import('./rooms/users/user-page.tsx')),
    'UserPage',
  ),
  loader: whileLoading(['users'], ({ clientId, userUid }: OfApplication & { userUid: string }) => [
    prefetchQuery(userQuery(clientId, userUid)),
    prefetchList(userOptionsQuery(clientId, userUid)),
    prefetchQuery(catalogTreeQuery(clientId)),
  ]),
});

const insights = createRoute({
  getParentRoute: () => application,
  path: 'insights',
  validateSearch: ({ key }: Record<string, unknown>): { key?: string } => (typeof key === 'string' ? { key } : {}),
  component: lazyRouteComponent(
    loadWhenReachable(() => import('./rooms/insights/insights-page.tsx')),
    'InsightsPage',
  ),
  loader: whileLoading(['insights'], ({ clientId }: OfApplication) => [prefetchQuery(catalogTreeQuery(clientId))]),
});

const requests = createRoute({
  getParentRoute: () => application,
  path: 'requests',
  validateSearch: readRequestsSearch,
  component: lazyRouteComponent(
    loadWhenReachable(() => import('./rooms/requests/requests-page.tsx')),
    'RequestsPage',
  ),
  loader: whileLoading(['requests', 'problems'], ({ clientId }: OfApplication, search) => {
    const filter = readRequestsSearch(search);
    // With a user, the page has to find the user first.
    return filter.user === undefined ? [prefetchList(requestsQuery(clientId, filter, true))] : [];
  }),
});

const events = createRoute({
  getParentRoute: () => application,
  path: 'events',
  validateSearch: ({ type }: Record<string, unknown>): { type?: EventType } => (isEventType(type) ? { type } : {}),
  component: lazyRouteComponent(
    loadWhenReachable(() => import('./rooms/events/events-page.tsx')),
    'EventsPage',
  ),
  loader: whileLoading(['events'], ({ clientId }: OfApplication, { type }) => [
    prefetchList(eventsQuery(clientId, isEventType(type) ? { type } : {})),
  ]),
});

const audit = createRoute({
  getParentRoute: () => application,
  path: 'audit',
  component: lazyRouteComponent(
    loadWhenReachable(() => import('./rooms/audit/audit-page.tsx')),
    'AuditPage',
  ),
  loader: whileLoading(['audit'], ({ clientId }: OfApplication) => [prefetchList(auditQuery(clientId, EVERYTHING))]),
});

const connect = createRoute({
  getParentRoute: () => application,
  path: 'connect',
  component: lazyRouteComponent(
    loadWhenReachable(() => import('./rooms/connect/connect-page.tsx')),
    'ConnectPage',
  ),
  loader: whileLoading(['connect'], ({ clientId }: OfApplication) => [prefetchQuery(catalogTreeQuery(clientId))]),
});

const credentials = createRoute({
  getParentRoute: () => application,
  path: 'credentials',
  component: lazyRouteComponent(
    loadWhenReachable(() => import('./rooms/credentials/credentials-page.tsx')),
    'CredentialsPage',
  ),
  loader: whileLoading(['credentials']),
});

const webhooks = createRoute({
  getParentRoute: () => application,
  path: 'webhooks',
  component: lazyRouteComponent(
    loadWhenReachable(() => import('./rooms/webhooks/webhooks-page.tsx')),
    'WebhooksPage',
  ),
  loader: whileLoading(['webhooks'], ({ clientId }: OfApplication) => [prefetchQuery(webhooksQuery(clientId))]),
});

const members = createRoute({
  getParentRoute: () => application,
  path: 'members',
  component: lazyRouteComponent(
    loadWhenReachable(() => import('./rooms/members/members-page.tsx')),
    'MembersPage',
  ),
  loader: whileLoading(['members'], ({ clientId }: OfApplication) => [
    prefetchQuery(membersQuery(clientId)),
    prefetchQuery(languagesQuery(clientId)),
    prefetchQuery(invitationsQuery(clientId)),
  ]),
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
  // Preloading a link loads files; the room's data is requested when the link is opened.
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
  defaultErrorComponent: PageProblem,
  defaultPendingComponent: LoadingState,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
