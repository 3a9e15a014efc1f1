import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.Provider;
import java.security.PublicKey;
import java.security.Security;
import java.security.cert.CertificateFactory;
import java.security.spec.AlgorithmParameterSpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.xml.crypto.Data;
import javax.xml.crypto.XMLCryptoContext;
import javax.xml.crypto.XMLStructure;
import javax.xml.crypto.dsig.Reference;
import javax.xml.crypto.dsig.TransformException;
import javax.xml.crypto.dsig.TransformService;
import javax.xml.crypto.dsig.XMLSignature;
import javax.xml.crypto.dsig.XMLSignatureFactory;
import javax.xml.crypto.dsig.dom.DOMValidateContext;
import javax.xml.crypto.dsig.spec.TransformParameterSpec;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/**
 * Verifies XML signatures with the JDK. Each input line is a document in base64. The answer is a line of words. The first is
 * `valid` or `invalid` for the value of the first Signature. For each Reference follow `valid` or `invalid`, a colon, and the
 * digested bytes in base64. The answer for an unreadable document is `error`.
 */
public final class XmlSignatureJudge {
    private static final String DSIG = XMLSignature.XMLNS;

    /** Makes Manifests with this transform readable, which the JDK does not know; their parts are not verified here. */
    public static final class RelationshipTransform extends TransformService {
        static final String URI = "http://schemas.openxmlformats.org/package/2006/RelationshipTransform";

        @Override
        public AlgorithmParameterSpec getParameterSpec() {
            return null;
        }

        @Override
        public void init(TransformParameterSpec parameters) {}

        @Override
        public void init(XMLStructure parent, XMLCryptoContext context) {}

        @Override
        public void marshalParams(XMLStructure parent, XMLCryptoContext context) {}

        @Override
        public Data transform(Data data, XMLCryptoContext context) throws TransformException {
            throw new TransformException("not judged here");
        }

        @Override
        public Data transform(Data data, XMLCryptoContext context, OutputStream output) throws TransformException {
            return transform(data, context);
        }

        @Override
        public boolean isFeatureSupported(String feature) {
            return false;
        }
    }

    private static final class Transforms extends Provider {
        private static final long serialVersionUID = 1L;

        Transforms() {
            super("Transforms", "1", "Transforms of packages");
            String service = "TransformService." + RelationshipTransform.URI;
            put(service, RelationshipTransform.class.getName());
            put(service + " MechanismType", "DOM");
        }
    }

    public static void main(String[] arguments) throws Exception {
        Security.addProvider(new Transforms());
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = lines.readLine(); line != null; line = lines.readLine())
            System.out.println(judge(Base64.getDecoder().decode(line)));
    }

    private static String judge(byte[] xml) {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setNamespaceAware(true);
            Document document = factory.newDocumentBuilder().parse(new ByteArrayInputStream(xml));
            markIds(document.getDocumentElement());
            NodeList signatures = document.getElementsByTagNameNS(DSIG, "Signature");
            DOMValidateContext context = new DOMValidateContext(keyOf(document), signatures.item(0));
            context.setProperty("org.jcp.xml.dsig.secureValidation", Boolean.FALSE);
            context.setProperty("javax.xml.crypto.dsig.cacheReference", Boolean.TRUE);
            XMLSignature signature = XMLSignatureFactory.getInstance("DOM").unmarshalXMLSignature(context);
            List<String> words = new ArrayList<>();
            words.add(signature.getSignatureValue().validate(context) ? "valid" : "invalid");
            for (Object item : signature.getSignedInfo().getReferences()) words.add(judge((Reference) item, context));
            return String.join(" ", words);
        } catch (Exception exception) {
            return "error " + exception;
        }
    }

    private static String judge(Reference reference, DOMValidateContext context) throws Exception {
        boolean isValid = reference.validate(context);
        try (InputStream digested = reference.getDigestInputStream()) {
            return (isValid ? "valid:" : "invalid:") + Base64.getEncoder().encodeToString(digested.readAllBytes());
        }
    }

    private static PublicKey keyOf(Document document) throws Exception {
        Node text = document.getElementsByTagNameNS(DSIG, "X509Certificate").item(0);
        byte[] certificate = Base64.getMimeDecoder().decode(text.getTextContent());
        return CertificateFactory.getInstance("X.509")
            .generateCertificate(new ByteArrayInputStream(certificate)).getPublicKey();
    }

    private static void markIds(Element element) {
        if (element.hasAttribute("Id")) element.setIdAttribute("Id", true);
        for (Node node = element.getFirstChild(); node != null; node = node.getNextSibling())
            if (node instanceof Element) markIds((Element) node);
    }
}
