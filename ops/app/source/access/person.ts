/** What people are called. */

interface Person {
  readonly id: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly email: string | null;
}

export function personName({ id, first_name, last_name, email }: Person): string {
  return [first_name, last_name].filter(Boolean).join(' ') || email || id;
}
