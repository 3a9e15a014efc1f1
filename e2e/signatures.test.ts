import './augment.suite.ts';
import './contract.suite.ts';
import './sign.suite.ts';
import './verify-reports.suite.ts';
import './verify.suite.ts';
