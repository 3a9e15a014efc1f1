import './annotate.suite.ts';
import './convert-options.suite.ts';
import './convert.suite.ts';
import './generate.suite.ts';
import './merge.suite.ts';
import './signers.suite.ts';
