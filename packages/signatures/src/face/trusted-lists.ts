export { type ListFault, TrustedListError } from '../lists/list-error.ts';
export { loadLists } from '../lists/load-lists.ts';
export { LIST_BYTES_MAX } from '../lists/open-list.ts';
export { type KeptLists, TrustedLists } from '../lists/trusted-lists.ts';
