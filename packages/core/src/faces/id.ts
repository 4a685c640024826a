// The namespace `Id`: making and checking ids.
export { create, of } from '../graph/id.ts';
