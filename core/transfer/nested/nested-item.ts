/** A row has related items, so that the file is written with them. */
export class NestedItem extends Error {}
