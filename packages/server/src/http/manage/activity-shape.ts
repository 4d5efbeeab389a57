import { Type } from '../../schema.ts';

export const ActivityShape = {
  requests: Type.Integer({ description: 'that could be told to be of this application' }),
  errors: Type.Integer({ description: 'requests that were answered with a code' }),
  usersCreated: Type.Integer(),
  usersErased: Type.Integer(),
  tokensIssued: Type.Integer({ description: 'access tokens' }),
  tokensFailed: Type.Integer({ description: 'that the token service did not make (0002, 0009)' }),
  selectionsSaved: Type.Integer(),
  selectionsUnset: Type.Integer(),
};
