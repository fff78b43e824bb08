/** A row has related items, so the nested import must write the file. */
export class NestedItem extends Error {}
