/**
 * The data of the read bench: authors, articles, comments, tags, and their relations. PostgreSQL
 * generates it from sequential numbers, so that it is always the same.
 */
import type pg from 'pg';

/** Rows at scale 1. */
const SIZES = { authors: 10_000, articles: 100_000, comments: 300_000, tags: 200 };

export type Sizes = typeof SIZES;

/** The numbers of rows at a scale; each table keeps enough rows for every request to find some. */
export function sizesAt(scale: number): Sizes {
  const scaled = (rows: number) => Math.max(10, Math.round(rows * scale));
  return {
    authors: scaled(SIZES.authors),
    articles: Math.max(200, scaled(SIZES.articles)),
    comments: scaled(SIZES.comments),
    tags: scaled(SIZES.tags),
  };
}

const TABLES = `
  CREATE TABLE authors (
    id integer PRIMARY KEY,
    name text NOT NULL,
    email text NOT NULL,
    country varchar(2) NOT NULL
  );
  CREATE TABLE articles (
    id integer PRIMARY KEY,
    title text NOT NULL,
    status text NOT NULL,
    views integer NOT NULL,
    body text NOT NULL,
    author integer NOT NULL REFERENCES authors,
    published_on timestamptz NOT NULL
  );
  CREATE TABLE comments (
    id integer PRIMARY KEY,
    article integer NOT NULL REFERENCES articles,
    name text NOT NULL,
    body text NOT NULL
  );
  CREATE TABLE tags (id integer PRIMARY KEY, name text NOT NULL);
  CREATE TABLE article_tags (
    article integer REFERENCES articles,
    tag integer REFERENCES tags,
    PRIMARY KEY (article, tag)
  );
  CREATE INDEX ON articles (author);
  CREATE INDEX ON articles (status, views);
  CREATE INDEX ON comments (article);
  CREATE INDEX ON article_tags (tag)`;

/** The first parameter of each is the number of rows of its table. */
const AUTHORS = `
  INSERT INTO authors
  SELECT n, 'Author ' || n, 'author' || n || '@example.com',
    (ARRAY['de', 'fr', 'us', 'jp', 'br'])[n % 5 + 1]
  FROM generate_series(1, $1::int) n`;
const ARTICLES = `
  INSERT INTO articles
  SELECT n, 'Article ' || n || ' on ' || md5(n::text),
    (ARRAY['published', 'published', 'draft', 'archived'])[n % 4 + 1],
    hashint4(n) & 65535,
    repeat(md5(n::text) || ' ', 6),
    (hashint4(n + 1) & 2147483647) % $2::int + 1,
    timestamptz '2020-01-01 00:00:00Z' + n * interval '17 minutes'
  FROM generate_series(1, $1::int) n`;
const COMMENTS = `
  INSERT INTO comments
  SELECT n, (n - 1) % $2::int + 1, 'Reader ' || n % 1000, 'Comment ' || md5(n::text)
  FROM generate_series(1, $1::int) n`;
const TAGS = `
  INSERT INTO tags SELECT n, 'tag ' || n FROM generate_series(1, $1::int) n`;
/** Two different tags for each article. */
const ARTICLE_TAGS = `
  INSERT INTO article_tags
  SELECT n, (n * 7 + k * (n % ($2::int - 1) + 1)) % $2::int + 1
  FROM generate_series(1, $1::int) n, generate_series(0, 1) k`;

/** Creates and fills the tables. */
export async function makeDataset(client: pg.Client, sizes: Sizes): Promise<void> {
  const { authors, articles, comments, tags } = sizes;
  await client.query(TABLES);
  await client.query(AUTHORS, [authors]);
  await client.query(ARTICLES, [articles, authors]);
  await client.query(COMMENTS, [comments, articles]);
  await client.query(TAGS, [tags]);
  await client.query(ARTICLE_TAGS, [articles, tags]);
  await client.query('VACUUM ANALYZE');
}
