import { Type } from '../../schema.ts';

export const ActivityShape = {
  requests: Type.Integer({ description: 'requests that belong to this application' }),
  errors: Type.Integer({ description: 'requests with an error code' }),
  usersCreated: Type.Integer(),
  usersErased: Type.Integer(),
  tokensIssued: Type.Integer({ description: 'access tokens' }),
  tokensFailed: Type.Integer({ description: 'exchanges that failed at the token service (0002, 0009)' }),
  selectionsSaved: Type.Integer(),
  selectionsUnset: Type.Integer(),
};
