/**
 * What a caller may see: the argument without which no statement is compiled. An admin's grants
 * cover everything; anybody else's name each collection and field.
 */

/** Who is asking, as far as statements and history are concerned. */
export interface Caller {
  /** Key of the user; null for a stranger. */
  readonly user: string | null;
  readonly role: string | null;
  readonly admin: boolean;
}

/** The rights of one caller. Without an entry a collection does not exist for the caller. */
export interface Grants {
  readonly admin: boolean;
}

export const ALL_GRANTS: Grants = Object.freeze({ admin: true });
export const NO_GRANTS: Grants = Object.freeze({ admin: false });

/** The grants of a caller: everything for admins, nothing for anybody else. */
export function grantsOf(caller: Caller): Grants {
  return caller.admin ? ALL_GRANTS : NO_GRANTS;
}
