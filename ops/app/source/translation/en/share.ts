/** Requests that are copied for programs. */
export const share = {
  title: 'Copy as',
  listHelp: 'This request reads what the list shows: its filter, sorting, columns and page.',
  itemHelp: 'This request reads the item.',
  tokenHelp: 'Put a token into the variable TOKEN. The request has the rights of its user.',
  languages: 'Format',
  copy: 'Copy %{language}',
  copied: 'Copied.',
  copyLink: 'Copy the link to this page',
  linkCopied: 'Link copied. It opens this page with its filter.',
  noGraphql: 'GraphQL does not support a name in this request. Use another format.',
};
