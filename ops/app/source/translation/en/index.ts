/** All English texts: a file for each feature. */
import type { Texts } from '../languages.ts';
import { access } from './access.ts';
import { chart } from './chart.ts';
import { editor } from './editor.ts';
import { failure } from './failure.ts';
import { fault } from './fault.ts';
import { file } from './file.ts';
import { files } from './files.ts';
import { filter } from './filter.ts';
import { form } from './form.ts';
import { health } from './health.ts';
import { history } from './history.ts';
import { home } from './home.ts';
import { imports } from './imports.ts';
import { insights } from './insights.ts';
import { interfaceTexts } from './interface.ts';
import { list } from './list.ts';
import { model } from './model.ts';
import { navigation } from './navigation.ts';
import { operations } from './operations.ts';
import { palette } from './palette.ts';
import { picture } from './picture.ts';
import { profile } from './profile.ts';
import { reason } from './reason.ts';
import { relation } from './relation.ts';
import { sentence } from './sentence.ts';
import { settings } from './settings.ts';
import { share } from './share.ts';
import { shell } from './shell.ts';
import { signIn } from './sign-in.ts';
import { views } from './views.ts';

export const texts: Texts = {
  access,
  chart,
  failure,
  fault,
  filter,
  form,
  list,
  model,
  navigation,
  operations,
  palette,
  profile,
  editor,
  sentence,
  picture,
  shell,
  signIn,
  file,
  files,
  health,
  history,
  home,
  imports,
  insights,
  settings,
  share,
  interface: interfaceTexts,
  reason,
  relation,
  views,
};
