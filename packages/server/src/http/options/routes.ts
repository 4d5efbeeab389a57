import type { Service } from '../../domain/service.ts';
import type { Routes } from '../server/routes.ts';
import { preflightRoute } from './api-key.ts';
import type { CatalogCache } from './catalog-cache.ts';
import { listUserOptionsRoute } from './list-user-options.ts';
import { catalogReadRoutes } from './read-catalog.ts';
import { saveUserOptionRoute, saveUserOptionsRoute } from './save-user-options.ts';
import { userOptionRoutes } from './user-option.ts';

/** The profile options interface. */
export function optionRoutes(app: Routes, service: Service, cache: CatalogCache): void {
  catalogReadRoutes(app, { service, cache });
  saveUserOptionRoute(app, service);
  saveUserOptionsRoute(app, service);
  listUserOptionsRoute(app, service);
  userOptionRoutes(app, service);

  preflightRoute(app, '/api/option_groups', ['GET', 'HEAD']);
  preflightRoute(app, '/api/option_groups/:option_group_uid', ['GET', 'HEAD']);
  preflightRoute(app, '/api/option_keys', ['GET', 'HEAD']);
  preflightRoute(app, '/api/option_keys/:option_key_uid', ['GET', 'HEAD']);
  preflightRoute(app, '/api/user_options', ['GET', 'HEAD', 'POST', 'PUT']);
  preflightRoute(app, '/api/user_options/events', ['GET', 'HEAD']);
  preflightRoute(app, '/api/user_options/:user_options_uid', ['GET', 'HEAD', 'DELETE']);
  preflightRoute(app, '/api/user_options/:user_options_uid/history', ['GET', 'HEAD']);
  preflightRoute(app, '/api/user_options/:user_options_uid/receipt', ['GET', 'HEAD']);
}
