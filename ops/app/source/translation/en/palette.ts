/** The command palette. */
export const palette = {
  title: 'Search and commands',
};
