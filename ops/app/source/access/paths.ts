/** Where the screens of access are in the App. */

export const POLICY_LIST = '/access/policies';
export const ROLE_LIST = '/access/roles';
export const USER_LIST = '/access/users';

export function policyPath(id: string): string {
  return `${POLICY_LIST}/${encodeURIComponent(id)}`;
}

export function rolePath(id: string): string {
  return `${ROLE_LIST}/${encodeURIComponent(id)}`;
}

export function userPath(id: string): string {
  return `${USER_LIST}/${encodeURIComponent(id)}`;
}

/** The screen of what a user may do. */
export function rightsPath(user: string): string {
  return `${userPath(user)}/rights`;
}
