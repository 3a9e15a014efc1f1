import java.io.File;
import org.apache.pdfbox.preflight.PreflightDocument;
import org.apache.pdfbox.preflight.ValidationResult;
import org.apache.pdfbox.preflight.exception.SyntaxValidationException;
import org.apache.pdfbox.preflight.parser.PreflightParser;

/** PdfAPreflight FILE…: for each file that is not PDF/A-1b, a line with its number, a code and a reason for each breach. */
public class PdfAPreflight {
    public static void main(String[] files) throws Exception {
        for (int number = 0; number < files.length; number++) {
            for (ValidationResult.ValidationError error : resultOf(new File(files[number])).getErrorsList()) {
                System.out.println("breach " + number + " " + error.getErrorCode() + " " + error.getDetails());
            }
        }
    }

    private static ValidationResult resultOf(File file) throws Exception {
        PreflightParser parser = new PreflightParser(file);
        try {
            parser.parse();
            try (PreflightDocument document = parser.getPreflightDocument()) {
                document.validate();
                return document.getResult();
            }
        } catch (SyntaxValidationException invalid) {
            return invalid.getResult();
        }
    }
}
